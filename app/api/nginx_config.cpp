#include "app/api/nginx_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace app {

namespace {

using Ports = std::vector<std::uint16_t>;

std::unexpected<engine::Error> invalid(std::string message) {
    return std::unexpected(engine::Error{engine::ErrorCode::Invalid, std::move(message)});
}

std::string upstream(const std::string& name, const Ports& ports, std::uint16_t first) {
    std::string text = fmt::format("    upstream headway_{} {{\n", name);
    for (const std::uint16_t port : ports) {
        // A session's own engine comes first; the others of its lane stand in while it is away.
        const bool isBackup = first != 0 && port != first;
        text += fmt::format("        server 127.0.0.1:{} max_fails=1 fail_timeout=5s{};\n", port,
                            isBackup ? " backup" : "");
    }
    // Shorter than the time after which the engine closes an idle connection.
    return text + "        keepalive 32;\n        keepalive_timeout 50s;\n    }\n";
}

std::string routes(const char* lane, const Ports& ports) {
    std::string text;
    for (const std::uint16_t port : ports) {
        text += fmt::format("        \"{}:{}\" headway_{};\n", lane, port, port);
    }
    return text;
}

std::string site(const NginxSetup& setup) {
    std::string text;
    text += upstream("realtime", setup.realtime, 0);
    text += upstream("batch", setup.batch, 0);
    for (const Ports* lane : {&setup.realtime, &setup.batch}) {
        for (const std::uint16_t port : *lane) {
            text += upstream(std::to_string(port), *lane, port);
        }
    }
    text += "    # X-Batch: true and X-Mode: batch choose the batch lane, all else is realtime.\n"
            "    map \"$http_x_batch|$http_x_mode\" $headway_lane {\n"
            "        default realtime;\n"
            "        \"~^true\\|\" batch;\n"
            "        \"~\\|batch$\" batch;\n"
            "    }\n"
            "    # The cookie that an engine sets names it; a session goes back to it.\n"
            "    map \"$headway_lane:$cookie_headway_engine\" $headway_upstream {\n"
            "        default \"headway_$headway_lane\";\n";
    text += routes("realtime", setup.realtime) + routes("batch", setup.batch) + "    }\n";
    text +=
        fmt::format("    # A page that reaches this port under a name of its own is sent away.\n"
                    "    server {{\n"
                    "        listen 127.0.0.1:{0} default_server;\n"
                    "        return 403;\n"
                    "    }}\n"
                    "    server {{\n"
                    "        listen 127.0.0.1:{0};\n"
                    "        server_name 127.0.0.1 localhost;\n"
                    "        client_max_body_size 4m;\n"
                    "        location / {{\n"
                    "            proxy_pass http://$headway_upstream;\n"
                    "            proxy_http_version 1.1;\n"
                    "            proxy_set_header Connection \"\";\n"
                    "            proxy_set_header Host 127.0.0.1;\n"
                    "            # Tokens go out as they come; who leaves is noticed.\n"
                    "            proxy_buffering off;\n"
                    "            proxy_read_timeout 600s;\n"
                    "        }}\n"
                    "    }}\n",
                    setup.listen);
    return text;
}

} // namespace

engine::Result<std::string> nginxConfig(const NginxSetup& setup) {
    if (setup.realtime.empty() || setup.batch.empty()) {
        return invalid("Each lane needs an instance: name the ports with --realtime and --batch.");
    }
    std::set<std::uint16_t> seen = {setup.listen};
    for (const Ports* lane : {&setup.realtime, &setup.batch}) {
        for (const std::uint16_t port : *lane) {
            if (port == 0 || !seen.insert(port).second) {
                return invalid(fmt::format("The port {} can't be used {}.", port,
                                           port == 0 ? "here" : "twice"));
            }
        }
    }
    if (setup.listen == 0) {
        return invalid("The port 0 can't be used here.");
    }
    const std::string head = "# Written by headway nginx-config: realtime and batch requests go to "
                             "instances of their own.\n";
    if (setup.form == NginxForm::Site) {
        return head + site(setup);
    }
    return head +
           "# Start it with: nginx -p FOLDER -c THIS_FILE (no root needed; files go to FOLDER)\n"
           "worker_processes 1;\n"
           "daemon off;\n"
           "pid nginx.pid;\n"
           "error_log stderr warn;\n"
           "events {\n"
           "    worker_connections 1024;\n"
           "}\n"
           "http {\n"
           "    access_log off;\n"
           "    client_body_temp_path body;\n"
           "    proxy_temp_path proxy;\n"
           "    fastcgi_temp_path fastcgi;\n"
           "    uwsgi_temp_path uwsgi;\n"
           "    scgi_temp_path scgi;\n" +
           site(setup) + "}\n";
}

} // namespace app

// A configuration of nginx that stands before several instances of the local API: routes by lane,
// keeps a session with its engine. Pure.
#pragma once

#include "engine/error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace app {

enum class NginxForm : std::uint8_t {
    Whole, // a configuration of its own: nginx -p FOLDER -c FILE, without root
    Site,  // for the http section of an installed one: /etc/nginx/conf.d/
};

struct NginxSetup {
    std::uint16_t listen = 8100;
    std::vector<std::uint16_t> realtime, batch; // ports on the loopback interface
    NginxForm form = NginxForm::Whole;
};

// Errors: a lane without an instance, a port twice or zero.
engine::Result<std::string> nginxConfig(const NginxSetup& setup);

} // namespace app

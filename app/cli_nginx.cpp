// `headway nginx-config`: what stands before several instances of `headway serve`.
#include "app/api/nginx_config.h"
#include "app/cli_commands.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace app {

void declareNginxConfig(CLI::App& command, ChosenCommand& chosen) {
    const auto setup = std::make_shared<NginxSetup>();
    const auto isSite = std::make_shared<bool>(false);
    command
        .add_option("--realtime", setup->realtime, "Ports of the instances of the realtime lane")
        ->required()
        ->delimiter(',');
    command.add_option("--batch", setup->batch, "Ports of the instances of the batch lane")
        ->required()
        ->delimiter(',');
    command.add_option("--listen", setup->listen, "Port that clients use (default 8100)");
    command.add_flag("--site", *isSite, "Only what goes into an installed nginx: conf.d");
    command.callback([setup, isSite, &chosen] {
        chosen = [setup, isSite] {
            setup->form = *isSite ? NginxForm::Site : NginxForm::Whole;
            const auto text = nginxConfig(*setup);
            if (!text) {
                throw CommandError(ExitStatus::Usage, text.error().message);
            }
            printOut(*text);
            return ExitStatus::Done;
        };
    });
}

} // namespace app

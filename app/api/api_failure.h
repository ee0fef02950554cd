// Why a call of the API is refused, in the words of the OpenAI API. Thrown inside the handlers,
// turned into a response at their door.
#pragma once

#include <stdexcept>
#include <string>

namespace app {

class ApiFailure : public std::runtime_error {
public:
    ApiFailure(int httpStatus, const std::string& message, std::string what = {},
               std::string where = {})
        : std::runtime_error(message),
          status(httpStatus),
          code(std::move(what)),
          parameter(std::move(where)) {}

    int status;
    std::string code;         // "model_not_found"; may be empty
    std::string parameter;    // of the body that is wrong; may be empty
    std::string allowed = {}; // methods, with status 405
};

} // namespace app

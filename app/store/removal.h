// Deleting a run of a million rows without one transaction of a million rows: it is gone from every
// list at once, and its rows follow. Throws DatabaseFailure.
#pragma once

#include "app/store/sqlite.h"

namespace app {

// False: there is no such run.
bool beginRemoval(const Database& database, std::int64_t run);
// Some thousand rows of a run that is to go. False: no run is left to remove.
bool removeSomeRows(const Database& database);

} // namespace app

// A combo box in a toolbar, which has little room: as wide as its widest item needs in the language
// of the moment. UI thread.
#pragma once

class QComboBox;

namespace ui {

void fitWidth(QComboBox* combo);

} // namespace ui

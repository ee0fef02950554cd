// The dashed frame that says where files may be dropped; lit while one hovers. UI thread.
#pragma once

#include <QWidget>

namespace ui {

class DropZone final : public QWidget {
    Q_OBJECT

public:
    explicit DropZone(QWidget* parent = nullptr);
    void setLit(bool isLit);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    bool m_isLit = false;
};

} // namespace ui

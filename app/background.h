// Runs work off the UI thread and hands its result back to an object that may be gone by then. Call
// on the main thread; `work` must own what it uses.
#pragma once

#include <QCoreApplication>
#include <QMetaObject>
#include <QObject>
#include <QPointer>
#include <QThreadPool>

#include <memory>
#include <type_traits>
#include <utility>

namespace app {

// `then` gets the result on the main thread, unless `context` was deleted meanwhile.
template <class Work, class Then>
void runInBackground(QObject* context, Work work, Then then) {
    using Result = std::invoke_result_t<Work>;
    QThreadPool::globalInstance()->start(
        [guard = QPointer<QObject>(context), work = std::move(work), then = std::move(then)] {
            auto result = std::make_shared<Result>(work());
            // The guard is looked at on the main thread only, where objects are deleted.
            QMetaObject::invokeMethod(
                QCoreApplication::instance(),
                [guard, then, result] {
                    if (guard != nullptr) {
                        then(std::move(*result));
                    }
                },
                Qt::QueuedConnection);
        });
}

} // namespace app

// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

#ifndef ASIO_EWYK_TEST_BENCHMARK_SHEDDING_PEER_HPP
#define ASIO_EWYK_TEST_BENCHMARK_SHEDDING_PEER_HPP

#include "peers.hpp"

#include <asio_ewyk/overload/load_shedder.hpp>

#include <boost/asio/bind_executor.hpp>
#include <boost/system/error_code.hpp>

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

namespace benchmark {

/// Submits to the context of a peer, or refuses.
template <class Peer>
class shedding_peer
{
public:
    shedding_peer(Peer& peer, ewyk::load_shedder& shedder)
        : peer_(&peer)
        , shedder_(&shedder)
    {
    }

    template <class F>
    void submit(F&& f)
    {
        shedder_->async_admit(asio::bind_executor(peer_->context(),
            [own = std::forward<F>(f)](boost::system::error_code refused) mutable {
                if (!refused)
                    own();
            }));
    }

    std::size_t threads() { return peer_->threads(); }

private:
    Peer* peer_;
    ewyk::load_shedder* shedder_;
};

/// What a peer's name ends with that has a shedder in front of it.
inline constexpr std::string_view with_shedder = ", shedding";

/// As visit_peer(), with a shedder that has its defaults if the name says so.
template <class Visit>
void visit_peer_or_shedder(std::string_view name, parameters const& with, Visit visit)
{
    if (!name.ends_with(with_shedder))
        return visit_peer(name, with, visit);
    name.remove_suffix(with_shedder.size());
    // Both before the peer: what it still runs refers to them.
    ewyk::load_shedder shedder;
    std::shared_ptr<void> in_front;
    visit_peer(name, with, [&]<class Peer>(Peer& peer) {
        if constexpr (requires { peer.context(); })
        {
            auto const front = std::make_shared<shedding_peer<Peer>>(peer, shedder);
            in_front = front;
            visit(*front);
        }
    });
}

} // namespace benchmark

#endif

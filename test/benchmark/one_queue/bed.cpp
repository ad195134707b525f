// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Can a thread that polls the io_context's own epoll descriptor be told of the end of a wait?
// The descriptor is the first argument of the system call that the probe reads.
#include <boost/asio.hpp>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
namespace asio = boost::asio;
int epoll_fd_of(int tid)
{
    char name[64], text[200];
    std::snprintf(name, sizeof name, "/proc/self/task/%d/syscall", tid);
    int fd = open(name, O_RDONLY);
    auto n = pread(fd, text, sizeof text - 1, 0);
    close(fd);
    text[n] = 0;
    long nr; unsigned long a;
    if (std::sscanf(text, "%ld 0x%lx", &nr, &a) == 2 && nr == SYS_epoll_wait)
        return int(a);
    return -1;
}
int main()
{
    asio::io_context c;
    auto g = asio::make_work_guard(c);
    asio::ip::udp::socket s(c, {asio::ip::address_v4::loopback(), 0}), out(c, asio::ip::udp::v4());
    char b[16];
    std::function<void()> rd = [&] { s.async_receive(asio::buffer(b), [&](auto e, auto) { if (!e) rd(); }); };
    rd();
    std::atomic<int> tid{0};
    std::thread r([&] { tid = gettid(); c.run(); });
    usleep(100000);
    int const ep = epoll_fd_of(tid);
    std::printf("epoll descriptor %d\n", ep);
    std::atomic<int> seen{0};
    std::atomic<bool> end{false};
    std::thread p([&] { while (!end) { pollfd f{ep, POLLIN, 0}; if (poll(&f, 1, 1000) > 0) { ++seen; usleep(2000); } } });
    usleep(10000);
    for (int i = 0; i != 200; ++i) { asio::post(c, [] {}); usleep(5000); }
    std::printf("poll: %d of 200 posts seen\n", seen.exchange(0));
    for (int i = 0; i != 200; ++i) { out.send_to(asio::buffer("x", 1), s.local_endpoint()); usleep(5000); }
    std::printf("poll: %d of 200 datagrams seen\n", seen.load());
    end = true; p.join();
    // io_uring: the mask of the wake-up is kept.
    io_uring_params prm{};
    int const ring = int(syscall(SYS_io_uring_setup, 4, &prm));
    if (ring < 0) { std::printf("no io_uring: %m\n"); }
    else {
        std::size_t sz = prm.sq_off.array + prm.sq_entries * 4, cz = prm.cq_off.cqes + prm.cq_entries * sizeof(io_uring_cqe);
        char* sq = (char*)mmap(0, std::max<size_t>(sz, cz), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQ_RING);
        char* cq = sq;
        auto* sqes = (io_uring_sqe*)mmap(0, prm.sq_entries * sizeof(io_uring_sqe), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQES);
        int n[2]{}; end = false; std::atomic<int> which{0};
        std::thread u([&] {
            while (!end) {
                auto* tail = (unsigned*)(sq + prm.sq_off.tail); auto mask = *(unsigned*)(sq + prm.sq_off.ring_mask);
                unsigned t = *tail; auto& e = sqes[t & mask]; e = {}; e.opcode = IORING_OP_POLL_ADD; e.fd = ep; e.poll32_events = POLLIN;
                ((unsigned*)(sq + prm.sq_off.array))[t & mask] = t & mask; __atomic_store_n(tail, t + 1, __ATOMIC_RELEASE);
                if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, nullptr, 0) < 0) break;
                auto* head = (unsigned*)(cq + prm.cq_off.head); auto* ct = (unsigned*)(cq + prm.cq_off.tail);
                while (*head != __atomic_load_n(ct, __ATOMIC_ACQUIRE)) { ++n[which]; __atomic_store_n(head, *head + 1, __ATOMIC_RELEASE); }
                usleep(2000);
            }
        });
        usleep(10000);
        for (int i = 0; i != 200; ++i) { asio::post(c, [] {}); usleep(5000); }
        which = 1;
        for (int i = 0; i != 200; ++i) { out.send_to(asio::buffer("x", 1), s.local_endpoint()); usleep(5000); }
        std::printf("io_uring: %d of 200 posts, %d of 200 datagrams seen\n", n[0], n[1]);
        end = true; asio::post(c, [] {}); usleep(10000); out.send_to(asio::buffer("x", 1), s.local_endpoint()); u.join();
    }
    g.reset(); asio::post(c, [&] { s.close(); }); r.join();
}

/* Attacks through sockets, and by the other ways for processes to talk. */

#include "attack.h"
#include <arpa/inet.h>
#include <asm/sockios.h>
#include <linux/netlink.h>
#include <mqueue.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>

static struct sockaddr_in loopback(int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

static int connect_tcp(void) {
    struct sockaddr_in address = loopback(tcp_port);
    int link = socket(AF_INET, SOCK_STREAM, 0);
    return link < 0 ? errno : error_of(connect(link, (struct sockaddr *)&address, sizeof address));
}

static int listen_tcp(void) {
    struct sockaddr_in address = loopback(0);
    int link = socket(AF_INET, SOCK_STREAM, 0);
    if (link < 0) return errno;
    return bind(link, (struct sockaddr *)&address, sizeof address) < 0 ? errno : error_of(listen(link, 1));
}

static int send_udp(void) {
    struct sockaddr_in address = loopback(udp_port);
    int link = socket(AF_INET, SOCK_DGRAM, 0);
    return link < 0 ? errno : error_of(sendto(link, "x", 1, 0, (struct sockaddr *)&address, sizeof address));
}

static int make_socket(int family, int type, int protocol) {
    int link = socket(family, type, protocol);
    return error_of(link);
}

static int use_ip6(void) { return make_socket(AF_INET6, SOCK_DGRAM, 0); }
static int use_netlink(void) { return make_socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE); }
static int use_uevents(void) { return make_socket(AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT); }
static int use_vsock(void) { return make_socket(AF_VSOCK, SOCK_STREAM, 0); }
static int use_packets(void) { return make_socket(AF_PACKET, SOCK_RAW, 0); }
static int use_raw_ip(void) { return make_socket(AF_INET, SOCK_RAW, IPPROTO_ICMP); }
static int use_crypto(void) { return make_socket(AF_ALG, SOCK_SEQPACKET, 0); }

static int see_sockets(void) {
    FILE *file = fopen("/proc/self/net/unix", "r");
    char line[4096];
    if (!file) return errno;
    while (fgets(line, sizeof line, file))
        if (strstr(line, abstract_name)) return 0;
    return ENOENT;
}

static socklen_t local_address(struct sockaddr_un *address, const char *name, int is_abstract) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    strncpy(address->sun_path + is_abstract, name, sizeof address->sun_path - 2);
    return offsetof(struct sockaddr_un, sun_path) + is_abstract + strlen(name);
}

static int connect_local(int is_abstract, const char *name) {
    struct sockaddr_un address;
    socklen_t size = local_address(&address, name, is_abstract);
    int link = socket(AF_UNIX, SOCK_STREAM, 0);
    return link < 0 ? errno : error_of(connect(link, (struct sockaddr *)&address, size));
}

static int connect_abstract(void) { return connect_local(1, abstract_name); }
static int connect_path(void) { return connect_local(0, in_folder("stream")); }

/* a pair of datagram sockets is made without `socket`, and each of them can send to any address */
static int pair(int *ends) { return error_of(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends)); }

static int send_from_pair(void) {
    int ends[2], error = pair(ends);
    struct sockaddr_un address;
    socklen_t size = local_address(&address, in_folder("datagram"), 0);
    return error ? error : error_of(sendto(ends[0], "x", 1, 0, (struct sockaddr *)&address, size));
}

static int message_from_pair(void) {
    int ends[2], error = pair(ends);
    struct sockaddr_un address;
    struct iovec data = {"x", 1};
    struct msghdr message = {&address, local_address(&address, in_folder("datagram"), 0), &data, 1, NULL, 0, 0};
    return error ? error : error_of(sendmsg(ends[0], &message, 0));
}

static int connect_pair(void) {
    int ends[2], error = pair(ends);
    struct sockaddr_un address;
    socklen_t size = local_address(&address, in_folder("datagram"), 0);
    return error ? error : error_of(connect(ends[0], (struct sockaddr *)&address, size));
}

static int name_stream_pair(void) {
    int ends[2];
    struct sockaddr_un address;
    socklen_t size = local_address(&address, "arena-canary-pair", 1);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0) return errno;
    return error_of(bind(ends[0], (struct sockaddr *)&address, size));
}

/* a socket's owner gets a signal when something comes, also when it is stopped */
static int own_pair(void) {
    int ends[2], owner = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0) return errno;
    return error_of(ioctl(ends[0], FIOSETOWN, &owner));
}

static int use_shared_memory(void) {
    int segment = shmget(key, 0, 0);
    if (segment < 0) return errno;
    void *there = shmat(segment, NULL, 0);
    return there == (void *)-1 ? errno : 0;
}

static int leave_shared_memory(void) {
    int segment = shmget(key + 1, 4096, IPC_CREAT | 0600);
    if (segment < 0) return errno;
    if (getenv("PLAIN")) shmctl(segment, IPC_RMID, NULL);
    return 0;
}

static int leave_semaphores(void) {
    int set = semget(key + 1, 1, IPC_CREAT | 0600);
    if (set < 0) return errno;
    if (getenv("PLAIN")) semctl(set, 0, IPC_RMID);
    return 0;
}

static int leave_messages(void) {
    int queue = msgget(key + 1, IPC_CREAT | 0600);
    if (queue < 0) return errno;
    if (getenv("PLAIN")) msgctl(queue, IPC_RMID, NULL);
    return 0;
}

static int leave_posix_messages(void) {
    mqd_t queue = mq_open("/arena-canary", O_CREAT | O_RDWR, 0600, NULL);
    if (queue < 0) return errno;
    if (getenv("PLAIN")) mq_unlink("/arena-canary");
    return 0;
}

ATTACKS({"connect_tcp", connect_tcp}, {"listen_tcp", listen_tcp}, {"send_udp", send_udp}, {"use_ip6", use_ip6},
        {"use_netlink", use_netlink}, {"use_uevents", use_uevents}, {"use_vsock", use_vsock},
        {"use_packets", use_packets}, {"use_raw_ip", use_raw_ip}, {"use_crypto", use_crypto},
        {"see_sockets", see_sockets}, {"connect_abstract", connect_abstract}, {"connect_path", connect_path},
        {"send_from_pair", send_from_pair}, {"message_from_pair", message_from_pair},
        {"connect_pair", connect_pair}, {"name_stream_pair", name_stream_pair}, {"own_pair", own_pair},
        {"use_shared_memory", use_shared_memory}, {"leave_shared_memory", leave_shared_memory},
        {"leave_semaphores", leave_semaphores}, {"leave_messages", leave_messages},
        {"leave_posix_messages", leave_posix_messages})

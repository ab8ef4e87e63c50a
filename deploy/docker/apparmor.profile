# For containers of the service on hosts with AppArmor, whose profile for containers forbids mounts, and on Ubuntu since 23.10
# namespaces as well:
#   sudo apparmor_parser --replace deploy/docker/apparmor.profile
# and then `apparmor:reborn` among the security options. It allows what the container's other limits leave: no capability, no new
# privilege, a filter for system calls, a read-only root.
abi <abi/4.0>,
#include <tunables/global>

profile reborn flags=(attach_disconnected,mediate_deleted) {
  #include <abstractions/base>
  network,
  file,
  mount,
  umount,
  pivot_root,
  userns,
  capability,
  signal (send,receive) peer=reborn,
  ptrace (trace,read) peer=reborn,
  deny @{PROC}/sysrq-trigger rwklx,
  deny @{PROC}/kcore rwklx,
  deny @{PROC}/sys/kernel/** wklx,
  deny /sys/firmware/** rwklx,
  deny /sys/kernel/security/** rwklx,
}

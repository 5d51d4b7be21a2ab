const groupsPerNetwork = 4
const groupsPerAddress = 8
const mapped = /^(?:0{0,4}:){0,5}:?ffff:(\d+(?:\.\d+){3})$/

/**
 * Whom an address belongs to, for counting: one household has a whole /64 of IPv6 addresses, which
 * counts as one however it is written; IPv4 counts by the address, also where it comes mapped into IPv6.
 */
export const networkOf = (address: string): string => {
  if (!address.includes(':')) return address
  const [written = ''] = address.toLowerCase().split('%')
  const [, ipv4] = mapped.exec(written) ?? []
  if (ipv4 !== undefined) return ipv4
  const [head = '', tail] = written.split('::')
  const [before, after] = [groupsOf(head), groupsOf(tail ?? '')]
  const left = Math.max(0, groupsPerAddress - before.length - after.length)
  const groups = [...before, ...Array.from({ length: left }, () => '0'), ...after]
  return groups
    .slice(0, groupsPerNetwork)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')
}

/** An IPv4 address at the end stands for two groups. */
const groupsOf = (text: string): string[] =>
  text === ''
    ? []
    : text.split(':').flatMap((group) => (group.includes('.') ? [group, group] : [group]))

const groupsPerNetwork = 4
const groupsPerAddress = 8
const mapped = /^(?:0{0,4}:){0,5}:?ffff:(\d+(?:\.\d+){3})$/

/**
 * The network of an address, for rate limits: the /64 of an IPv6 address, in any notation, since one household has
 * all of it. An IPv4 address counts by itself, also when mapped into IPv6.
 */
export const networkOf = (address: string): string => {
  const parsed = parse(address)
  return typeof parsed === 'string' ? parsed : parsed.slice(0, groupsPerNetwork).join(':')
}

/**
 * The larger networks of an IPv6 address, smallest first: the /56 of a home and the /48 of a company. An IPv4
 * address has none.
 */
export const widerNetworksOf = (address: string): readonly string[] => {
  const parsed = parse(address)
  if (typeof parsed === 'string') return []
  const [first, second, third, fourth = '0'] = parsed
  const upper = (Number.parseInt(fourth, 16) & 0xff_00).toString(16)
  return [[first, second, third, `${upper}/56`].join(':'), [first, second, `${third}/48`].join(':')]
}

/** The largest network of an address: the /48 for IPv6, the address itself for IPv4. */
export const widestNetworkOf = (address: string): string =>
  widerNetworksOf(address).at(-1) ?? networkOf(address)

/** @returns the eight groups of an IPv6 address without leading zeros, or the IPv4 address */
const parse = (address: string): string | string[] => {
  if (!address.includes(':')) return address
  const [written = ''] = address.toLowerCase().split('%')
  const [, ipv4] = mapped.exec(written) ?? []
  if (ipv4 !== undefined) return ipv4
  const [head = '', tail] = written.split('::')
  const [before, after] = [groupsOf(head), groupsOf(tail ?? '')]
  const left = Math.max(0, groupsPerAddress - before.length - after.length)
  const groups = [...before, ...Array.from({ length: left }, () => '0'), ...after]
  return groups.map((group) => group.replace(/^0+(?=.)/, ''))
}

/** An IPv4 address at the end counts as two groups. */
const groupsOf = (text: string): string[] =>
  text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? [group, group] : [group]))

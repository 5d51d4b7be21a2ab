import fc from 'fast-check'

// Notations of an address that URL parsers and sockets accept. A guard that compares text would miss some.

const octets = (bits: number): number[] => [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255)

/** @param bits of an IPv4 address, as one number */
export const ipv4Text = (bits: number): string => octets(bits).join('.')

const fullWidth = (text: string): string =>
  text.replace(/[0-9]/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0))
const groups = (bits: number): string => `${(bits >>> 16).toString(16)}:${(bits & 0xffff).toString(16)}`
const inBase = (bits: number, base: number, prefix: string): string =>
  octets(bits)
    .map((part) => `${prefix}${part.toString(base)}`)
    .join('.')

/** IPv6 addresses that contain an IPv4 one: mapped, compatible, translated, 6to4 and Teredo. */
export const ipv4Embeddings: ((bits: number) => string)[] = [
  (bits) => `::ffff:${ipv4Text(bits)}`,
  (bits) => `::FFFF:${groups(bits)}`,
  (bits) => `0:0:0:0:0:ffff:${groups(bits)}`,
  (bits) => `::${ipv4Text(bits)}`,
  (bits) => `::ffff:0:${ipv4Text(bits)}`,
  (bits) => `64:ff9b::${ipv4Text(bits)}`,
  (bits) => `64:ff9b:1::${ipv4Text(bits)}`,
  (bits) => `2002:${groups(bits)}::1`,
  (bits) => `2001:0:${groups(bits)}::1`,
]

/** Notations of an IPv4 address in the host of a URL. */
export const ipv4Spellings: ((bits: number) => string)[] = [
  ipv4Text,
  (bits) => `${ipv4Text(bits)}.`,
  String,
  (bits) => `0x${bits.toString(16)}`,
  (bits) => `0${bits.toString(8)}`,
  (bits) => inBase(bits, 16, '0x'),
  (bits) => inBase(bits, 8, '0'),
  (bits) => inBase(bits, 8, '00'),
  (bits) => `${bits >>> 24}.${bits & 0xffffff}`,
  (bits) => `${bits >>> 24}.${(bits >>> 16) & 255}.${bits & 0xffff}`,
  (bits) => fullWidth(ipv4Text(bits)),
  (bits) => fullWidth(ipv4Text(bits)).replaceAll('.', '\u3002'),
  (bits) => ipv4Text(bits).replace(/\d/g, (digit) => `%3${digit}`),
  ...ipv4Embeddings.map((embed) => (bits: number) => `[${embed(bits)}]`),
]

const ipv6Groups = (bits: bigint): string[] =>
  Array.from({ length: 8 }, (_, n) => ((bits >> BigInt(112 - 16 * n)) & 0xffffn).toString(16))

/** @param bits of an IPv6 address, as one number */
export const ipv6Text = (bits: bigint): string => ipv6Groups(bits).join(':')

/** Notations of an IPv6 address, without brackets. */
export const ipv6Spellings: ((bits: bigint) => string)[] = [
  ipv6Text,
  (bits) => ipv6Text(bits).toUpperCase(),
  (bits) =>
    ipv6Groups(bits)
      .map((group) => group.padStart(4, '0'))
      .join(':'),
  (bits) => new URL(`http://[${ipv6Text(bits)}]/`).hostname.slice(1, -1),
]

/** Addresses of an IPv4 range, each as one number. */
export const inIpv4Range = (cidr: string): fc.Arbitrary<number> => {
  const [network = '', prefix = ''] = cidr.split('/')
  const first = network.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
  return fc.nat(2 ** (32 - Number(prefix)) - 1).map((offset) => first + offset)
}

/** Addresses of an IPv6 range, each as one number. */
export const inIpv6Range = (cidr: string): fc.Arbitrary<bigint> => {
  const [network = '', prefix = ''] = cidr.split('/')
  const [head = '', tail = ''] = network.split('::')
  const parts = (text: string): string[] => (text === '' ? [] : text.split(':'))
  const zeros = Array.from({ length: 8 - parts(head).length - parts(tail).length }, () => '0')
  const first = [...parts(head), ...zeros, ...parts(tail)].reduce(
    (sum, group) => (sum << 16n) | BigInt(`0x${group}`),
    0n,
  )
  return fc.bigInt(0n, (1n << BigInt(128 - Number(prefix))) - 1n).map((offset) => first + offset)
}

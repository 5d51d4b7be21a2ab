import { networkInterfaces } from 'node:os'

/** The loopback address of this machine: `::1` where it has no IPv4 at all. */
export const loopbackHost = (): '127.0.0.1' | '::1' => {
  const internal = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  const has = (address: string): boolean => internal.some((one) => one.internal && one.address === address)
  return has('::1') && !has('127.0.0.1') ? '::1' : '127.0.0.1'
}

/** The same in a URL. */
export const loopbackInUrl = (): string => (loopbackHost() === '::1' ? '[::1]' : '127.0.0.1')

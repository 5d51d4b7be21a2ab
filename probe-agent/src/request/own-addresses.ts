import { networkInterfaces } from 'node:os'

const rememberedMs = 60_000

/** The addresses of this machine's interfaces, read again every minute. */
export const createOwnAddresses = (now: () => number): (() => ReadonlySet<string>) => {
  let readAt = Number.NEGATIVE_INFINITY
  let addresses: ReadonlySet<string> = new Set()
  return () => {
    if (now() - readAt < rememberedMs) return addresses
    readAt = now()
    addresses = new Set(
      Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map((one) => one.address)),
    )
    return addresses
  }
}

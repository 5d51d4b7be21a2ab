import { hash32 } from '@probe-mesh/contracts/reading/slots'

/**
 * Values of at most so many hosts, chosen by hash: the same hosts whatever the order in which they
 * come, and after a restart.
 */
export const createHostSample = <Value>(hostsMax: number) => {
  const held = new Map<string, { hash: number; value: Value }>()
  /** While the sample is full, the host that gives way to one with a lower hash, once it was looked for. */
  let last: { host: string; hash: number } | null = null

  const findLast = (): { host: string; hash: number } => {
    let found = { host: '', hash: -1 }
    for (const [host, { hash }] of held) if (hash > found.hash) found = { host, hash }
    return found
  }
  const drop = (host: string): void => {
    held.delete(host)
    last = null
  }

  return {
    size: () => held.size,
    entries: (): [string, Value][] => [...held].map(([host, { value }]) => [host, value]),
    /** The host's value, made where it had none; null where the host does not belong to the sample. */
    take: (host: string, make: () => Value): Value | null => {
      const known = held.get(host)
      if (known !== undefined) return known.value
      const hash = hash32(host)
      if (held.size >= hostsMax) {
        last ??= findLast()
        if (hash >= last.hash) return null
        drop(last.host)
      }
      const value = make()
      held.set(host, { hash, value })
      return value
    },
    delete: drop,
  }
}

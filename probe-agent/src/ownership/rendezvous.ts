import { hash32 } from '@probe-mesh/contracts/reading/slots'

/**
 * Rendezvous hashing: each check belongs to the member with the highest weight for it. So every
 * agent of a region computes the same owner, and a member that joins or leaves moves only its own
 * checks.
 * @param members names, in any order, at least one
 * @throws RangeError without members
 */
export const ownerAmong = (members: readonly string[]): ((checkId: string) => string) => {
  const names = [...new Set(members)].toSorted()
  const [first] = names
  if (first === undefined) throw new RangeError('a region without members cannot own a check')
  const seeds = Uint32Array.from(names, hash32)
  return (checkId) => {
    const hash = hash32(checkId)
    let owner = first
    let highest = -1
    for (let n = 0; n < seeds.length; n++) {
      const weight = weightOf(seeds[n] ?? 0, hash)
      if (weight <= highest) continue
      highest = weight
      owner = names[n] ?? first
    }
    return owner
  }
}

/** Combines the two hashes with the finaliser of murmur3, so that no member is favoured. */
const weightOf = (seed: number, hash: number): number => {
  let weight = Math.imul(hash ^ seed, 0x9e3779b1) + seed
  weight = Math.imul(weight ^ (weight >>> 16), 0x85ebca6b)
  weight = Math.imul(weight ^ (weight >>> 13), 0xc2b2ae35)
  return (weight ^ (weight >>> 16)) >>> 0
}

import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { networkOf } from '@probe-mesh/contracts/target/network-of'
import type { Report } from '../unusual-reports.ts'
import { reportWindowMs } from './reporters.ts'

/** Hashes of one reporter and service: under today's key first, then under neighbouring days' keys. */
type ReporterHashes = readonly [own: string, ...others: string[]]

const dayMs = 86_400_000
/** Allowed clock difference between two control planes around midnight. */
const clockSkewMs = 60_000
const keyBytes = 32
/** 96 bits: among a million reporters the chance of a collision is 10^-17. */
const hashBytes = 12
const keysMax = 4

/**
 * A visitor and a service as HMAC-SHA-256 under a key of the day (UTC), which HKDF derives from
 * SECRETS_KEY. The address cannot be recovered without the key, and hashes of two services or two days
 * are unrelated. Every control plane computes the same hash. Addresses count by their network.
 */
export const createReporterHash = (
  secretsKey: string,
): ((report: Report, nowMs: number) => ReporterHashes) => {
  const keys = new Map<number, KeyObject>()
  const keyOf = (day: number): KeyObject => {
    const known = keys.get(day)
    if (known !== undefined) return known
    if (keys.size >= keysMax) keys.clear()
    const derived = hkdfSync('sha256', secretsKey, '', `probe-mesh reporters ${day}`, keyBytes)
    // six times as fast as raw bytes, which each call would convert
    const key = createSecretKey(new Uint8Array(derived))
    keys.set(day, key)
    return key
  }
  return ({ slug, address }, nowMs) => {
    const hashOn = (day: number): string =>
      createHmac('sha256', keyOf(day))
        .update(`${slug}\0${networkOf(address)}`)
        .digest()
        .subarray(0, hashBytes)
        .toString('base64url')
    const today = dayAt(nowMs)
    const others = new Set([dayAt(nowMs - reportWindowMs - clockSkewMs), dayAt(nowMs + clockSkewMs)])
    others.delete(today)
    return [hashOn(today), ...[...others].map(hashOn)]
  }
}

const dayAt = (atMs: number): number => Math.floor(atMs / dayMs)

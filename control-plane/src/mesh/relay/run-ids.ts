import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/** Ids by which any control plane recognizes a run of another control plane, without a look-up. */
export type RunIds = {
  /** A new id for a run that this agent may answer until this time. */
  issue(agentId: string, untilMs: number): string
  /** The time until which the agent may answer this run; null if the id was not issued to this agent. */
  read(agentId: string, id: string): number | null
}

const timeBytes = 6
const macAt = 8
const idBytes = 16
const counterMax = 0x10_00

/**
 * Ids are UUIDs of version 8: the deadline of the answer, a counter, and 62 bits of an HMAC-SHA-256 of these
 * and the agent's id.
 * @param secretsKey `SECRETS_KEY`, which all control planes share
 */
export const createRunIds = (secretsKey: string): RunIds => {
  const key = new Uint8Array(hkdfSync('sha256', secretsKey, '', 'probe-mesh relay run', 32))
  let counter = 0
  const sign = (agentId: string, bytes: Buffer): Buffer => {
    const mac = createHmac('sha256', key).update(agentId).update(bytes.subarray(0, macAt)).digest()
    mac.copy(bytes, macAt, 0, idBytes - macAt)
    bytes[macAt] = ((bytes[macAt] ?? 0) & 0x3f) | 0x80
    return bytes
  }
  return {
    issue: (agentId, untilMs) => {
      const bytes = Buffer.alloc(idBytes)
      bytes.writeUIntBE(untilMs, 0, timeBytes)
      counter = (counter + 1) % counterMax
      bytes.writeUInt16BE(0x80_00 | counter, timeBytes)
      return textOf(sign(agentId, bytes))
    },
    read: (agentId, id) => {
      const bytes = Buffer.from(id.replaceAll('-', ''), 'hex')
      if (bytes.length !== idBytes) return null
      const own = sign(agentId, Buffer.from(bytes))
      return timingSafeEqual(own, bytes) ? bytes.readUIntBE(0, timeBytes) : null
    },
  }
}

const textOf = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

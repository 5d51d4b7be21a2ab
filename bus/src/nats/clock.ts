import { headers } from '@nats-io/nats-core'
import { subjects } from '@probe-mesh/contracts/mesh/subjects'
import type { Clock } from '../port.ts'
import { encodeText, toToken, valueIn } from '../wire.ts'
import type { Link } from './link.ts'
import { bucketSubject } from './topology.ts'

/** Keys that cannot be an agent's name: `toToken` writes an equals sign only around hex. */
const notePrefix = '=clock='
const controlKey = `${notePrefix}control`
const agentKey = (agent: string): string => `${notePrefix}agent=${toToken(agent)}`
const waitingPrefix = `${notePrefix}waiting=`

/** Whether a key of the presence bucket is a note rather than an announcement. */
export const isNote = (key: string): boolean => key.startsWith(notePrefix)

/** Whether a key is the note of an agent that waits for its name. */
export const isWaitingNote = (key: string): boolean => key.startsWith(waitingPrefix)

/** The key of an agent that waits for its name: one for each installation. */
export const waitingKey = (agent: string, instance: string): string =>
  `${waitingPrefix}${toToken(`${agent}.${instance}`)}`

const ownApi = '$JS.API'
/** Two references that differ by more do not agree, ms: then it is unknown which clock is wrong. */
const agreedMsMax = 5_000
/** A larger difference shows that the system clock was stepped during the sample, ms. */
const stepMsMin = 500

/**
 * Writes a note into the presence bucket, where it expires. It is a marker of a removal, which agents and
 * control planes of older versions ignore.
 */
export const writeNote = async (link: Link, region: string, key: string, note: object): Promise<void> => {
  const marker = headers()
  marker.set('KV-Operation', 'DEL')
  const subject = bucketSubject(subjects.presence(region), key)
  // the account of a region reaches the mesh's buckets under the prefix of its API, as it does by `put`
  const { apiPrefix } = link.js
  const reached = apiPrefix === ownApi ? subject : `${apiPrefix}.${subject}`
  await link.js.publish(reached, encodeText(note), { headers: marker })
}

/**
 * Clocks are compared with the server's timestamps: a control plane writes its time, an agent writes too, and
 * reads the difference of the two. The notes are in the presence bucket, where both may write.
 */
export const createClock = (link: Link): Clock => {
  const write = (region: string, key: string, note: object) => writeNote(link, region, key, note)
  const bucketOf = (region: string) => link.bucket(subjects.presence(region))
  return {
    tell: (region, now) => link.attempt(() => write(region, controlKey, { at: now() })),
    read: (region, agent, now) =>
      link.attempt(async () => {
        const bucket = await bucketOf(region)
        const [key, began, beganAt] = [agentKey(agent), performance.now(), now()]
        await write(region, key, {})
        const [tookMs, endedAt] = [performance.now() - began, now()]
        if (Math.abs(endedAt - beganAt - tookMs) > stepMsMin) return null
        const [own, note] = await Promise.all([bucket.get(key), bucket.get(controlKey)])
        if (own === null || note === null) return null
        const { at } = Object(valueIn(note.value)) as { at?: unknown }
        if (typeof at !== 'number') return null
        const noteAheadMs = at - note.created.getTime()
        const aheadOfServerMs = (beganAt + endedAt) / 2 - own.created.getTime()
        return {
          aheadMs: aheadOfServerMs - noteAheadMs,
          errorMs: tookMs / 2,
          isAgreed: Math.abs(noteAheadMs) <= agreedMsMax,
        }
      }),
  }
}

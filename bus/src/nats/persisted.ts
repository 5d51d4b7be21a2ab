import { subjects } from '@probe-mesh/contracts/mesh/subjects'
import type { Persisted } from '../port.ts'
import { watchBucket } from './bucket-watch.ts'
import type { Link } from './link.ts'
import { decodeBytes, encodeText, toToken } from './wire.ts'

/** A bucket per region, key = agent and partition, value = the highest batch stored. */
export const createPersisted = (link: Link): Persisted => ({
  mark: (region, agent, partition, batch) =>
    link.attempt(async () => {
      const bucket = await link.bucket(subjects.persisted(region))
      await bucket.put(`${toToken(agent)}.${partition}`, encodeText(batch))
    }),
  get: (region, agent, partition) =>
    link.attempt(async () => {
      const bucket = await link.bucket(subjects.persisted(region))
      const entry = await bucket.get(`${toToken(agent)}.${partition}`)
      return entry?.operation === 'PUT' ? decodeBytes<number>(entry.value) : null
    }),
  watch: (region, agent, onMark) =>
    watchBucket(link, subjects.persisted(region), `${toToken(agent)}.*`, {
      onPut: (key, data) =>
        onMark(Number(key.slice(key.lastIndexOf('.') + 1)), decodeBytes<number>(data)),
      // A mark that aged away takes nothing back.
      onRemove: () => undefined,
      onCurrent: () => undefined,
    }),
})

import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import { subjects } from '@probe-mesh/contracts/mesh/subjects'
import { BusUnavailable, type Assignments } from '../port.ts'
import { decodeBytes, encodeText } from '../wire.ts'
import { watchBucket } from './bucket-watch.ts'
import { requestMsMax, type Link } from './link.ts'

/** One bucket per region, key = check id. */
export const createAssignments = (link: Link): Assignments => {
  const watch: Assignments['watch'] = (region, handler) =>
    watchBucket(link, subjects.assignments(region), '>', {
      onPut: (_, data) => handler.onPut(decodeBytes<Assignment>(data)),
      onRemove: (checkId) => handler.onRemove(checkId),
      onCurrent: () => handler.onCurrent(),
    })

  return {
    watch,
    put: (assignment) =>
      link.attempt(async () => {
        const text = encodeText(assignment)
        const bucket = await link.bucket(subjects.assignments(assignment.region))
        await bucket.put(assignment.checkId, text)
      }),
    remove: (region, checkId) =>
      link.attempt(async () => {
        const bucket = await link.bucket(subjects.assignments(region))
        await bucket.delete(checkId)
      }),
    list: async (region) => {
      const held = new Map<string, Assignment>()
      const { promise: current, resolve, reject } = Promise.withResolvers<void>()
      const giveUp = () => reject(new BusUnavailable('the assignments did not arrive'))
      // A timeout between assignments, however many there are.
      const silence = setTimeout(giveUp, requestMsMax)
      const stopListening = link.onChange(giveUp)
      link.closing.addEventListener('abort', giveUp, { once: true })
      current.catch(() => undefined)
      const subscription = await watch(region, {
        onPut: (assignment) => {
          silence.refresh()
          held.set(assignment.checkId, assignment)
        },
        onRemove: (checkId) => held.delete(checkId),
        onCurrent: resolve,
      }).catch((error: unknown) => {
        reject(error)
        return null
      })
      try {
        await current
        return [...held.values()]
      } finally {
        clearTimeout(silence)
        stopListening()
        link.closing.removeEventListener('abort', giveUp)
        await subscription?.close()
      }
    },
  }
}

import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import { subjects } from '@probe-mesh/contracts/mesh/subjects'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { heldOf, type Assignments, type HeldAssignment } from '../port.ts'
import { decodeBytes, encodeText } from '../wire.ts'
import { createBucketMirror, type BucketMirror } from './bucket-mirror.ts'
import { watchBucket } from './bucket-watch.ts'
import type { Link } from './link.ts'

/** What this connection knows of each region's assignments. */
export type HeldMirrors = (region: Region) => BucketMirror<HeldAssignment>

export const createHeldMirrors = (link: Link): HeldMirrors => {
  const mirrors = new Map<Region, BucketMirror<HeldAssignment>>()
  return (region) => {
    const found =
      mirrors.get(region) ??
      createBucketMirror(link, subjects.assignments(region), (key, data) => ({
        ...heldOf(decodeBytes<Assignment>(data)),
        checkId: key,
      }))
    mirrors.set(region, found)
    return found
  }
}

/** One bucket per region, key = check id. */
export const createAssignments = (link: Link, mirrors: HeldMirrors): Assignments => ({
  watch: (region, handler) =>
    watchBucket(link, subjects.assignments(region), '>', {
      onPut: (_, data) => handler.onPut(decodeBytes<Assignment>(data)),
      onRemove: (checkId) => handler.onRemove(checkId),
      onCurrent: () => handler.onCurrent(),
    }),
  put: (assignment) =>
    link.attempt(async () => {
      const { region, checkId } = assignment
      const [text, held] = [encodeText(assignment), heldOf(assignment)]
      const bucket = await link.bucket(subjects.assignments(region))
      mirrors(region).wrote(checkId, await bucket.put(checkId, text), held)
    }),
  remove: (region, checkId) =>
    link.attempt(async () => {
      const bucket = await link.bucket(subjects.assignments(region))
      await bucket.delete(checkId)
    }),
  held: async (region) => [...(await mirrors(region).read()).values()],
})

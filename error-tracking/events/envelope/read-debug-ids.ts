import { debugIdOf } from '../raw/ids.ts'
import { isRecord, own } from '../raw/record.ts'

/** Debug ids by the path of a built file in frames. */
export type DebugIds = ReadonlyMap<string, string>

export const noDebugIds: DebugIds = new Map()

/** Built files of one event. Further ones are ignored. */
const imagesMax = 500

/** Reads an event's `debug_meta`. Skips invalid entries; their frames stay unchanged. */
export const readDebugIds = (meta: unknown): DebugIds => {
  const images = isRecord(meta) ? own(meta, 'images') : undefined
  if (!Array.isArray(images)) return noDebugIds
  return new Map(
    (images as unknown[]).slice(0, imagesMax).flatMap((image): [string, string][] => {
      if (!isRecord(image) || own(image, 'type') !== 'sourcemap') return []
      const file = own(image, 'code_file')
      const debugId = debugIdOf(own(image, 'debug_id'))
      return typeof file !== 'string' || file === '' || debugId === undefined ? [] : [[file, debugId]]
    }),
  )
}

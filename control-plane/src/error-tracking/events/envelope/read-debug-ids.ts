import { debugIdOf } from '../raw/ids.ts'
import { isRecord, own } from '../raw/record.ts'

/** By the place of a built file as frames name it: its debug id. */
export type DebugIds = ReadonlyMap<string, string>

export const noDebugIds: DebugIds = new Map()

/** Built files of one event: a page that loads more pieces than this names the rest in vain. */
const imagesMax = 500

/** Reads an event's `debug_meta`. What makes no sense is left out: its frames stay as they came. */
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

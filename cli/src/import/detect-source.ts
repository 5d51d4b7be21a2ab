import { TextDecoder } from 'node:util'
import { withoutMark } from '../file/place.ts'

export type SourceKind = 'uptime-kuma' | 'uptime-kuma-database' | 'gatus' | 'upptime'

export type Detected = { ok: true; kind: SourceKind } | { ok: false; message: string }

/** Bytes of a file's start that tell what it is: a configuration may end with its endpoints. */
export const detectBytesMax = 1024 * 1024

/** "The first 16 bytes of the database file" (SQLite file format, 1.3.1). */
const sqliteHeader = 'SQLite format 3\u0000'

const lookedFor =
  'looked for a database or a backup of Uptime Kuma (monitorList), a configuration of Gatus ' +
  '(endpoints) and one of Upptime (sites)'

/**
 * Tells which monitor's file it is.
 * @param name of the file, which decides where its content is another's too
 * @param start its first bytes, `detectBytesMax` of them or all there are
 */
export const detectSource = (name: string, start: Uint8Array): Detected => {
  if (start.length === 0) return { ok: false, message: `the file is empty: ${lookedFor}` }
  const text = withoutMark(new TextDecoder().decode(start))
  if (text.startsWith(sqliteHeader)) return { ok: true, kind: 'uptime-kuma-database' }
  if (/^\s*[{[]/.test(text)) return detectJson(text)
  const isGatus = /^(?:endpoints|external-endpoints|suites)\s*:/m.test(text)
  const isUpptime = /^sites\s*:/m.test(text)
  if (isGatus && isUpptime) {
    return /upptimerc[^/\\]*$/i.test(name)
      ? { ok: true, kind: 'upptime' }
      : { ok: false, message: 'the file has endpoints and sites: Gatus or Upptime, name which' }
  }
  if (isGatus) return { ok: true, kind: 'gatus' }
  if (isUpptime) return { ok: true, kind: 'upptime' }
  if (/^checks\s*:/m.test(text) && /^version\s*:/m.test(text)) return ownFile
  return { ok: false, message: `the file is of no known kind: ${lookedFor}` }
}

const ownFile: Detected = {
  ok: false,
  message: 'the file is one of checks already: apply it as it is',
}

const detectJson = (text: string): Detected => {
  if (/"monitorList"\s*:/.test(text)) return { ok: true, kind: 'uptime-kuma' }
  if (/"(?:endpoints|external-endpoints|suites)"\s*:/.test(text)) return { ok: true, kind: 'gatus' }
  if (/"sites"\s*:/.test(text)) return { ok: true, kind: 'upptime' }
  if (/"checks"\s*:/.test(text) && /"version"\s*:/.test(text)) return ownFile
  return { ok: false, message: `the JSON is of no known kind: ${lookedFor}` }
}

import { TextDecoder } from 'node:util'
import { withoutByteOrderMark } from '../file/position.ts'

type SourceKind = 'uptime-kuma' | 'uptime-kuma-database' | 'gatus' | 'upptime'

type Detected = { ok: true; kind: SourceKind } | { ok: false; message: string }

/** The bytes needed to detect a file: the endpoints may come last in a configuration. */
export const detectBytesMax = 1024 * 1024

/** "The first 16 bytes of the database file" (SQLite file format, 1.3.1). */
const sqliteHeader = 'SQLite format 3\u0000'

const lookedFor =
  'expected a database or a backup of Uptime Kuma (monitorList), a configuration of Gatus ' +
  '(endpoints) or of Upptime (sites)'

/**
 * Detects which monitor wrote a file.
 * @param name the file name, which decides if the content is ambiguous
 * @param start its first bytes, at most `detectBytesMax`
 */
export const detectSource = (name: string, start: Uint8Array): Detected => {
  if (start.length === 0) return { ok: false, message: `the file is empty: ${lookedFor}` }
  const text = withoutByteOrderMark(new TextDecoder().decode(start))
  if (text.startsWith(sqliteHeader)) return { ok: true, kind: 'uptime-kuma-database' }
  if (/^\s*[{[]/.test(text)) return detectJson(text)
  const isGatus = /^(?:endpoints|external-endpoints|suites)\s*:/m.test(text)
  const isUpptime = /^sites\s*:/m.test(text)
  if (isGatus && isUpptime) {
    return /upptimerc[^/\\]*$/i.test(name)
      ? { ok: true, kind: 'upptime' }
      : {
          ok: false,
          message: 'the file has endpoints and sites: choose Gatus or Upptime with --from',
        }
  }
  if (isGatus) return { ok: true, kind: 'gatus' }
  if (isUpptime) return { ok: true, kind: 'upptime' }
  if (/^checks\s*:/m.test(text) && /^version\s*:/m.test(text)) return ownFile
  return { ok: false, message: `the file format is unknown: ${lookedFor}` }
}

const ownFile: Detected = {
  ok: false,
  message: 'the file is already a file of checks: apply it directly',
}

const detectJson = (text: string): Detected => {
  if (/"monitorList"\s*:/.test(text)) return { ok: true, kind: 'uptime-kuma' }
  if (/"(?:endpoints|external-endpoints|suites)"\s*:/.test(text)) return { ok: true, kind: 'gatus' }
  if (/"sites"\s*:/.test(text)) return { ok: true, kind: 'upptime' }
  if (/"checks"\s*:/.test(text) && /"version"\s*:/.test(text)) return ownFile
  return { ok: false, message: `the JSON format is unknown: ${lookedFor}` }
}

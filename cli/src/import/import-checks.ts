import { fileLimits } from '../file/checks-file.ts'
import { withoutMark } from '../file/place.ts'
import { gatusEndpoints } from './gatus-endpoints.ts'
import type { Imported } from './import-note.ts'
import { kumaBackup, kumaRows } from './kuma-monitors.ts'
import type { KumaRows } from './kuma-monitors.ts'
import { settleChecks } from './settle-checks.ts'
import { upptimeSites } from './upptime-sites.ts'

/** Another monitor's file, or what `readKumaDatabase` read of one. */
export type ImportSource =
  | { kind: 'uptime-kuma' | 'gatus' | 'upptime'; text: string }
  | { kind: 'uptime-kuma-rows'; rows: KumaRows }

const readers = { 'uptime-kuma': kumaBackup, gatus: gatusEndpoints, upptime: upptimeSites }

/**
 * Makes checks of another monitor's file. A check measures what the monitor measured, or a note
 * says in what it differs; where it would measure something else, the monitor is skipped, by name.
 * It never throws for what a file may hold.
 * @returns checks that a file takes as they are, or every problem of the source
 */
export const importChecks = (source: ImportSource): Imported => {
  if (source.kind === 'uptime-kuma-rows') return settleChecks(kumaRows(source.rows))
  if (source.text.length > fileLimits.textCharactersMax) {
    const message = `has more than ${fileLimits.textCharactersMax} characters`
    return { ok: false, problems: [message] }
  }
  return settleChecks(readers[source.kind](withoutMark(source.text)))
}

import { fail, writeJson } from '../api/failure.ts'
import { readRows } from '../api/check-rows.ts'
import { readDetails } from '../api/named-checks.ts'
import { openApi } from '../api/open-api.ts'
import type { Action, KeyOptions } from '../command-line/command-spec.ts'
import { checkDetail } from '../show/check-detail.ts'
import { displayOf } from '../show/display.ts'
import { rowSorts, sortRows } from '../show/sort-rows.ts'
import { statusTable } from '../show/status-table.ts'
import { writeLines } from '../terminal/context.ts'
import { watchStatus } from './watch/watch-status.ts'
import type { Watching } from './watch/watch-status.ts'

type StatusOptions = KeyOptions & { watch: boolean; wide: boolean; sort: string | undefined }

/** The status of the account's checks, or of one by region. Exits 0 whatever the status. */
export const showStatus =
  (watching: Watching): Action<StatusOptions> =>
  async (context, options, [name]) => {
    const opened = await openApi(context, options)
    if (!opened.ok) return fail(context, options, opened.failures)
    const { api } = opened
    if (options.watch) return watchStatus(context, api, options, { ...watching, name })
    const { out } = context
    const display = displayOf(out, context.environment)
    if (name === undefined) {
      const listed = await readRows(api)
      if (!listed.ok) return fail(context, options, listed.failures)
      const sort = rowSorts.find((one) => one === options.sort)
      if (options.json) {
        writeJson(out, {
          version: 1,
          checks: sort === undefined ? listed.value : sortRows(listed.value, sort),
        })
        return 0
      }
      const order = { nowMs: context.now(), isWide: options.wide, sort: sort ?? 'status' }
      writeLines(out, statusTable(display, listed.value, order))
      return 0
    }
    const read = await readDetails(api, name)
    if (!read.ok) return fail(context, options, read.failures)
    if (options.json) writeJson(out, { version: 1, checks: read.value })
    else {
      const shown = read.value.map((check) => checkDetail(display, check, context.now()))
      writeLines(
        out,
        shown.flatMap((lines, n) => (n === 0 ? lines : ['', ...lines])),
      )
    }
    return 0
  }

import { fail, writeJson } from '../api/failure.ts'
import { readAllChecks, readDetails } from '../api/named-checks.ts'
import { openApi } from '../api/open-api.ts'
import type { Act, Keyed } from '../command-line/command-spec.ts'
import { checkDetail } from '../show/check-detail.ts'
import { lookOf } from '../show/look.ts'
import { statusTable } from '../show/status-table.ts'
import { writeLines } from '../terminal/world.ts'
import { watchStatus } from './watch/watch-status.ts'
import type { Watching } from './watch/watch-status.ts'

export type StatusOptions = Keyed & { watch: boolean }

/**
 * How the account's checks stand, or those of one name with their regions. Whatever they are, the
 * command has done what it was asked: it exits 0.
 */
export const showStatus =
  (watching: Watching): Act<StatusOptions> =>
  async (world, options, [name]) => {
    const opened = await openApi(world, options)
    if (!opened.ok) return fail(world, options, opened.failures)
    const { api } = opened
    if (options.watch) return watchStatus(world, api, options, { ...watching, name })
    const { out } = world
    const look = lookOf(out, world.environment)
    if (name === undefined) {
      const listed = await readAllChecks(api)
      if (!listed.ok) return fail(world, options, listed.failures)
      if (options.json) writeJson(out, { version: 1, checks: listed.value })
      else writeLines(out, statusTable(look, listed.value))
      return 0
    }
    const read = await readDetails(api, name)
    if (!read.ok) return fail(world, options, read.failures)
    if (options.json) writeJson(out, { version: 1, checks: read.value })
    else {
      const shown = read.value.map((check) => checkDetail(look, check, world.now()))
      writeLines(
        out,
        shown.flatMap((lines, n) => (n === 0 ? lines : ['', ...lines])),
      )
    }
    return 0
  }

import { fail, writeJson } from '../api/failure.ts'
import { openApi } from '../api/open-api.ts'
import type { Act } from '../command-line/command-spec.ts'
import type { Keyed } from '../command-line/common-options.ts'
import { showName } from '../plan/show-value.ts'
import { lookOf } from '../show/look.ts'
import { runReport } from '../show/run-report.ts'
import { readDetail, readNamedChecks } from './named-checks.ts'
import { writeLines } from './write-lines.ts'

/**
 * Measures a check now, from every region of its. A measurement was made also where it found the
 * target down: it exits 1 only where it was refused. Being a write, it never waits a 429 out.
 */
export const runCheck: Act<Keyed> = async (world, options, [given = '']) => {
  const opened = await openApi(world, options)
  if (!opened.ok) return fail(world, options, opened.failures)
  const { api } = opened
  const named = await readNamedChecks(api, given)
  if (!named.ok) return fail(world, options, named.failures)
  const [found, ...others] = named.value
  if (found === undefined || others.length > 0) {
    return fail(world, options, [severalOf(given, named.value)])
  }
  // a run's answer does not say from where its regions are measured
  const read = await readDetail(api, found.id)
  if (!read.ok) return fail(world, options, read.failures)
  const { id, name, vantage } = read.value
  const run = await api.write(`Measuring ${showName(name)}`, (client) =>
    client.call('runCheck', { params: { id } }, world.signal),
  )
  if (!run.ok) return fail(world, options, run.failures)
  const { out, environment } = world
  if (options.json) writeJson(out, { version: 1, check: { id, name }, vantage, ...run.value })
  else writeLines(out, runReport(lookOf(out, environment), read.value, run.value))
  return 0
}

const severalOf = (given: string, checks: readonly { id: string }[]) => ({
  message: `${checks.length} checks are named ${showName(given)}: say which by its id.`,
  hint: checks.map(({ id }) => id).join(', '),
})

import { fail, writeJson } from '../api/failure.ts'
import { openApi } from '../api/open-api.ts'
import type { Act, Keyed } from '../command-line/command-spec.ts'
import { exportChecks } from '../file/export-checks.ts'
import { writeChecksFile } from '../file/write-file.ts'
import { showLine } from '../plan/show-value.ts'
import { formatOf, replaceFile } from './files.ts'

export type ExportOptions = Keyed & { file: string | undefined }

/**
 * "Writes the account's `http` checks in file format" (specification, Command-line tool), to a file
 * or to standard output. Where names are not unique nothing is written, since no file could be applied back.
 */
export const exportFile: Act<ExportOptions> = async (world, options) => {
  const opened = await openApi(world, options)
  if (!opened.ok) return fail(world, options, opened.failures)
  const listed = await opened.api.read('Reading the checks', (client) =>
    client.call('listChecks', {}),
  )
  if (!listed.ok) return fail(world, options, listed.failures)
  const exported = exportChecks(listed.value.checks)
  if (!exported.ok) return fail(world, options, exported.problems)

  const { checks, comments } = exported
  const { file } = options
  const toOutput = file === undefined || file === '-'
  const format = toOutput ? (options.json ? 'json' : 'yaml') : formatOf(file)
  const text = writeChecksFile(checks, { format, comments })
  // JSON has no comments
  if (format === 'json' && !options.json) {
    for (const comment of comments) world.err.write(`${showLine(comment)}\n`)
  }
  if (toOutput) {
    world.out.write(text)
    return 0
  }
  const failure = await replaceFile(file, text)
  if (failure !== null) return fail(world, options, [failure])
  if (options.json) writeJson(world.out, { version: 1, problems: [], file, checks: checks.length })
  else
    world.out.write(
      `Wrote ${checks.length} ${checks.length === 1 ? 'check' : 'checks'} to ${file}.\n`,
    )
  return 0
}

import { fail, writeJson } from '../api/failure.ts'
import { openApi } from '../api/open-api.ts'
import type { Action, KeyOptions } from '../command-line/command-spec.ts'
import { exportChecks } from '../file/export-checks.ts'
import { writeChecksFile } from '../file/write-file.ts'
import { count, showLine } from '../plan/show-value.ts'
import { formatOf, replaceFile } from './files.ts'

type ExportOptions = KeyOptions & { file: string | undefined }

/**
 * Writes the account's http checks as a file, or to standard output. Writes nothing if names
 * repeat, since such a file cannot be applied again.
 */
export const exportFile: Action<ExportOptions> = async (context, options) => {
  const opened = await openApi(context, options)
  if (!opened.ok) return fail(context, options, opened.failures)
  const listed = await opened.api.read('Reading the checks', (client) => client.call('listChecks', {}))
  if (!listed.ok) return fail(context, options, listed.failures)
  const exported = exportChecks(listed.value.checks)
  if (!exported.ok) return fail(context, options, exported.problems)

  const { checks, comments } = exported
  const { file } = options
  const toOutput = file === undefined || file === '-'
  const format = toOutput ? (options.json ? 'json' : 'yaml') : formatOf(file)
  const text = writeChecksFile(checks, { format, comments })
  // JSON has no comments
  if (format === 'json' && !options.json) {
    for (const comment of comments) context.err.write(`${showLine(comment)}\n`)
  }
  if (toOutput) {
    context.out.write(text)
    return 0
  }
  const failure = await replaceFile(file, text)
  if (failure !== null) return fail(context, options, [failure])
  if (options.json) writeJson(context.out, { version: 1, problems: [], file, checks: checks.length })
  else context.out.write(`Wrote ${count(checks.length, 'check')} to ${file}.\n`)
  return 0
}

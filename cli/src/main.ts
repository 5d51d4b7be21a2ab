#!/usr/bin/env node
import { version } from './command-line/version.ts'

/** The executable `service`. Answers `--version` here and loads everything else on demand. */
const [first, ...rest] = process.argv.slice(2)
if ((first === '--version' || first === '-V') && rest.length === 0) {
  process.stdout.write(`${version}\n`)
} else {
  const { runProcess } = await import('./run.ts')
  await runProcess()
}

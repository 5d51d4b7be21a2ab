import { runNatsConfig } from './run.ts'

process.exitCode = await runNatsConfig(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
})

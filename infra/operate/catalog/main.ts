import { runCatalog } from './run-catalog.ts'

process.exitCode = await runCatalog(process.argv.slice(2), process.env, {
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
})

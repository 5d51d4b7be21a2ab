import { writePrivateFiles } from '../../start/processes/private-files.ts'
import { controlPlaneSecrets, withSecretFiles } from '../../start/processes/secret-files.ts'
import { runAdmin } from './admin.ts'

writePrivateFiles()
const { environment, problems } = withSecretFiles(process.env, controlPlaneSecrets)
for (const problem of problems) process.stderr.write(`admin: ${problem}\n`)
process.exitCode =
  problems.length > 0
    ? 1
    : await runAdmin(process.argv.slice(2), environment, {
        out: (text) => process.stdout.write(text),
        error: (text) => process.stderr.write(text),
      })

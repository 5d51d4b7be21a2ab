import { secretsOf } from '@probe-mesh/runtime/env'
import { controlPlaneEnvironment } from '@probe-mesh/control-plane/app/environment'
import { inOwnCommands } from '../../start/processes/own-command.ts'
import { writePrivateFiles } from '../../start/processes/private-files.ts'
import { withSecretFiles } from '@probe-mesh/runtime/secret-files'
import { runAdmin } from './admin.ts'

writePrivateFiles()
const { environment, problems } = withSecretFiles(process.env, secretsOf(controlPlaneEnvironment))
for (const problem of problems) process.stderr.write(`admin: ${problem}\n`)
process.exitCode =
  problems.length > 0
    ? 1
    : await runAdmin(process.argv.slice(2), environment, {
        out: (text) => process.stdout.write(inOwnCommands(text)),
        error: (text) => process.stderr.write(inOwnCommands(text)),
      })

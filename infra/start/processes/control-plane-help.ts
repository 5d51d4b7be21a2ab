import { controlPlaneEnvironment } from '@probe-mesh/control-plane/app/environment'
import { environmentHelp } from '@probe-mesh/runtime/env'

export const help = `Probe Mesh, one control plane in a process of its own.

  npm run control-plane
  npm run control-plane -- --help         this text

Environment
${environmentHelp(controlPlaneEnvironment)}

A secret may be in a file: DATABASE_URL_FILE=/run/secrets/...

Any number of control planes share the work. When one dies, the others take over its part within
seconds. At the start it waits up to a minute for its servers. Stop it with SIGTERM: it hands its
part over and finishes what is under way, within 15 seconds.
`

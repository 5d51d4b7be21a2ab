import { agentEnvironment, privateAgentEnvironment } from '@probe-mesh/probe-agent/environment'
import { environmentHelp } from '@probe-mesh/runtime/env'

const { MESH_URL, AGENT_CREDENTIALS, PRIVATE_TARGETS } = privateAgentEnvironment

export const help = `Probe Mesh, one agent in a process of its own: of a region, or an account's own.

  npm run agent
  npm run agent -- --help         this text

Environment
${environmentHelp(agentEnvironment)}

A secret may be in a file: METRICS_TOKEN_FILE=/run/secrets/...

A private agent is enrolled by an account (Agents in the dashboard, or "service agents enroll"). In
place of REGION, AGENT, NATS_URL, TARGET_ALLOW, PUBLIC_ADDRESSES, PUBLIC_URL and CHROMIUM it has
${environmentHelp({ MESH_URL, AGENT_CREDENTIALS, PRIVATE_TARGETS })}

Agents of one region share its assignments. One that is cut off goes on measuring, also after a
restart. Stop it with SIGTERM: it hands over its share and finishes what is under way, within
15 seconds. It exits with 1 when another agent takes over its name.

Exit codes
  77                the mesh does not let it in: credentials revoked, expired or unknown; what it measured is kept
  78                what it was given does not fit together: credentials of another region, say
  1                 anything else that ended it; 0: it was asked to stop
`

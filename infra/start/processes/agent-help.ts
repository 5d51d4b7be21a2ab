import { agentEnvironment, privateAgentEnvironment } from '@probe-mesh/probe-agent/environment'
import { environmentHelp } from '@probe-mesh/runtime/env'

const { MESH_URL, AGENT_CREDENTIALS, PRIVATE_TARGETS } = privateAgentEnvironment

export const help = `Probe Mesh, one agent in its own process: an agent of a region or a private agent.

  npm run agent
  npm run agent -- --help         this text

Environment
${environmentHelp(agentEnvironment)}

A secret may be in a file: METRICS_TOKEN_FILE=/run/secrets/...

An account enrols its private agents (Agents in the dashboard, or "service agents enroll"). Instead of
REGION, REGION_KEY, AGENT, NATS_URL, TARGET_ALLOW, PUBLIC_ADDRESSES, PUBLIC_URL and CHROMIUM they have
${environmentHelp({ MESH_URL, AGENT_CREDENTIALS, PRIVATE_TARGETS })}

Agents of one region share its assignments. An agent without a connection continues to measure, also
after a restart. Stop it with SIGTERM: it hands over its share and finishes work in progress within
15 seconds. It exits with 1 when another agent takes over its name.

Exit codes
  77                the mesh refuses it: credentials revoked, expired or unknown; its readings are kept
  78                its settings contradict each other, such as credentials of another region
  1                 any other failure; 0: stopped by a signal
`

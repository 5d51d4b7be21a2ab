import { resolve } from 'node:path'
import type { Config } from '@probe-mesh/control-plane/app/config'
import type { AllInOne } from './all-in-one.ts'

/** What a person reads once everything runs: where things are, who they are, what to try. */
export const greeting = (started: AllInOne, config: Config): string => {
  const { apiUrl, mcpUrl, credentials, isNew } = started
  const root = apiUrl.replace(/\/v1$/, '')
  const keys = resolve(config.dataDir, 'credentials.json')
  const account = isNew
    ? `
Your account (also in ${keys}):
  e-mail     ${credentials.email}
  password   ${credentials.password}
  API key    ${credentials.apiKey}
  read key   ${credentials.readKey}
  free tier  ${credentials.freeKey}
`
    : `
Your account and its keys are in ${keys}.
`
  return `
Probe Mesh is ready. Regions ${config.regions.join(', ')}, all measured from this machine.

  is it down ${root}
  dashboard  ${root}/dashboard
  REST API   ${apiUrl}
  reference  ${root}/docs
  MCP        ${mcpUrl}/public   ${mcpUrl}/mcp (with an API key)
  health     ${root}/readyz   ${root}/metrics
${account}
Try:
  KEY=$(node -p 'require("${keys}").apiKey')
  curl -s -H "Authorization: Bearer $KEY" ${apiUrl}/checks
  curl -s -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
    -d '{"name":"My site","url":"https://example.com/"}' ${apiUrl}/checks
  curl -sN -H "Authorization: Bearer $KEY" ${apiUrl}/events
  curl -s ${apiUrl}/public/services/github/status

Stop with Ctrl-C.
`
}

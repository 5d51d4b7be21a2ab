import { gatewayClientHeader, gatewayKeyHeader } from '@probe-mesh/contracts/outage/gateway'
import { Pool } from 'undici'

/** Makes the call behind `is_service_down` as cheaply as possible. */
export const connectUpstream = (options: {
  apiUrl: string
  gatewayKey: string
}): ((service: string) => Promise<string>) => {
  const { origin, pathname } = new URL(options.apiUrl)
  const pool = new Pool(origin, { connections: 64 })
  const headers = {
    accept: 'application/json',
    [gatewayKeyHeader]: options.gatewayKey,
    [gatewayClientHeader]: '127.0.0.1',
  }
  return async (service) => {
    const path = `${pathname}/public/services/${encodeURIComponent(service)}/status`
    const response = await pool.request({ method: 'GET', path, headers })
    return response.body.text()
  }
}

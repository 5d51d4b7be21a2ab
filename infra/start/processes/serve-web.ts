import type { Config } from '@probe-mesh/control-plane/app/config'
import type { ControlPlane } from '@probe-mesh/control-plane/app/control-plane'
import { withRequestMemo } from '@probe-mesh/control-plane/http/request-memo'
import { createWeb } from '@probe-mesh/web/web'

/** Adds the web pages to a control plane. They call its API in the process, without a port. */
export const serveWeb = (
  app: ControlPlane['app'],
  { publicUrl, mcpUrl }: Pick<Config, 'publicUrl' | 'mcpUrl'>,
): void => {
  void app.register(
    createWeb({
      inject: (request) => app.inject(request),
      withRequestMemo,
      apiUrl: `${publicUrl}/v1`,
      mcpUrl,
    }),
  )
}

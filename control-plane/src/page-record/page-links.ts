/** Where a page is shown, below the public address. */
export const pagePath = (slug: string): string => `/status/${slug}`

/** Where a page tells of one incident. @param publicUrl without a slash at its end */
export const incidentUrl = (publicUrl: string, slug: string, incidentId: string): string =>
  `${publicUrl}${pagePath(slug)}#incident-${incidentId}`

/** Where a page tells of one maintenance window. */
export const maintenanceUrl = (publicUrl: string, slug: string, windowId: string): string =>
  `${publicUrl}${pagePath(slug)}#maintenance-${windowId}`

/** Shows a button, and ends the subscription when it is posted to. */
export const unsubscribeUrl = (publicUrl: string, token: string): string =>
  `${publicUrl}/subscriptions/unsubscribe/${token}`

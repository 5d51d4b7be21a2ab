/** How long a mailed link logs in. */
export const linkMsMax = 15 * 60_000

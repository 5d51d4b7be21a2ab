import { gotify, jsm, ntfy, pagerduty, pushover } from './vendors-alert.ts'
import { googleChat, mattermost, slack, telegram } from './vendors-chat.ts'
import type { Vendor, VendorForm } from './vendor.ts'

export const vendors = {
  slack,
  pagerduty,
  telegram,
  ntfy,
  mattermost,
  google_chat: googleChat,
  gotify,
  pushover,
  jsm,
} as const satisfies { [Form in VendorForm]: Vendor<Form> }

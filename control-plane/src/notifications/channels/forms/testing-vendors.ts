import { gotify, jsm, ntfy, pagerduty, pushover } from './testing-vendors-alert.ts'
import { googleChat, mattermost, slack, telegram } from './testing-vendors-chat.ts'
import type { Vendor, VendorForm } from './testing-vendor.ts'

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

import { z } from 'zod'
import { field } from '../schema/field.ts'
import { Deleted } from '../schema/ids.ts'
import {
  Channel,
  ChannelParams,
  ChannelTest,
  ChannelType,
  CreateChannelInput,
  UpdateChannelInput,
} from './channel.ts'
import { BooleanFilter, NameFilter, nextCursor, pageParameters } from '../schema/list.ts'
import { read, write, type Route } from '../schema/route.ts'

const ChannelsQuery = z.strictObject({
  ...pageParameters,
  name: field(NameFilter.optional(), 'Part of the name, in any case.', 'ops'),
  type: field(ChannelType.optional(), 'Only channels of this type.', 'discord'),
  verified: field(BooleanFilter.optional(), 'Only channels whose last test succeeded, or others.', 'true'),
})

export const channelRoutes = {
  listChannels: read({
    path: '/notification-channels',
    summary: 'Notification channels, with credentials redacted',
    query: ChannelsQuery,
    output: z.object({
      notificationChannels: field(z.array(Channel), 'Channels of the account.'),
      nextCursor,
    }),
  }),
  createChannel: write({
    method: 'POST',
    path: '/notification-channels',
    summary: 'Create a notification channel; it gets no alerts until a test send succeeds',
    success: 201,
    body: CreateChannelInput,
    output: Channel,
    location: '/notification-channels/:$id',
    codes: ['SV-3002', 'SV-5001'],
  }),
  getChannel: read({
    path: '/notification-channels/:id',
    summary: 'One notification channel, with its credential redacted',
    params: ChannelParams,
    output: Channel,
  }),
  updateChannel: write({
    method: 'PATCH',
    path: '/notification-channels/:id',
    summary: 'Change a channel; it gets no alerts until the next successful test send',
    params: ChannelParams,
    body: UpdateChannelInput,
    output: Channel,
    codes: ['SV-5001'],
  }),
  deleteChannel: write({
    method: 'DELETE',
    path: '/notification-channels/:id',
    summary: 'Delete a channel; its pending messages are dropped',
    params: ChannelParams,
    output: Deleted,
  }),
  testChannel: write({
    method: 'POST',
    path: '/notification-channels/:id/test',
    summary: "Send a test message now and return the receiver's response",
    params: ChannelParams,
    output: ChannelTest,
    codes: ['SV-3002'],
  }),
} as const satisfies Record<string, Route>

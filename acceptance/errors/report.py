"""Reports to a DSN with sentry_sdk, like a program, and prints the ids of its events as JSON."""

import json
import logging
import sys

import sentry_sdk
from sentry_sdk import Hub

dsn, what = sys.argv[1:]
ids = []


def note(event, _hint):
    ids.append(event["event_id"])
    return event


sentry_sdk.init(
    dsn,
    release="shop@4.0.0",
    environment="production",
    traces_sample_rate=1.0,
    before_send=note,
)


def pay(basket):
    password = "hunter2hunter2"
    return len(password) / len(basket)


def errors():
    sentry_sdk.set_tag("shop", "berlin")
    sentry_sdk.set_user({"id": "17", "email": "someone@example.com"})
    sentry_sdk.add_breadcrumb(category="cart", message="put in")
    try:
        pay([])
    except ZeroDivisionError as error:
        sentry_sdk.capture_exception(error)
    logging.getLogger("shop").error("nothing is left of %s", "shoes")


def others():
    with sentry_sdk.start_transaction(name="order", op="task"):
        pass
    Hub.current.start_session()
    Hub.current.end_session()
    with sentry_sdk.push_scope() as scope:
        scope.add_attachment(bytes=b'{"items":[1]}', filename="basket.json")
        sentry_sdk.capture_message("with an attachment")


def many():
    for n in range(10):
        sentry_sdk.capture_message("too many %d" % n)
        sentry_sdk.flush()


{"errors": errors, "others": others, "many": many}[what]()
Hub.current.client.close(timeout=10)
print(json.dumps(ids))

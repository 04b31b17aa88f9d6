"""The table in the browser (`schafkopf serve`).

`live` is the table itself and knows nothing of the web, `state` what a page is told of it, `words`
what it says in German and English, `app` the door to the browser with what it refuses, `server`
the listening socket.
"""

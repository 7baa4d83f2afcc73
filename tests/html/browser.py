"""A headless Chromium, driven over a pipe by the DevTools protocol: needs nothing but Python.

    with Browser("chromium", "profile") as page:
        page.open("report.html")
        page.value("document.title")
        page.troubles()
"""
import base64
import json
import os
import select
import struct
import subprocess
import time
import zlib

LIMIT_S = 600


class Browser:
    def __init__(self, program, profile, width=1280, height=900):
        down, up = os.pipe(), os.pipe()
        self.write_fd, self.read_fd = down[1], up[0]
        os.set_inheritable(down[0], True)
        os.set_inheritable(up[1], True)
        # the browser reads commands from descriptor 3 and answers on 4
        line = ['sh', '-c', f'exec 3<&{down[0]} 4>&{up[1]}; exec "$@"', 'sh', program, '--headless=new', '--no-sandbox',
                '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--disable-extensions', '--hide-scrollbars',
                '--force-device-scale-factor=1', f'--window-size={width},{height}', f'--user-data-dir={profile}',
                '--remote-debugging-pipe', 'about:blank']
        self.process = subprocess.Popen(line, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(down[0])
        os.close(up[1])
        self.number, self.bytes, self.events, self.session = 0, b'', [], None
        targets = self.call('Target.getTargets')['targetInfos']
        page = next(target['targetId'] for target in targets if target['type'] == 'page')
        self.session = self.call('Target.attachToTarget', targetId=page, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log', 'Network', 'Audits'):
            self.call(domain + '.enable')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def message(self):
        end = time.monotonic() + LIMIT_S
        while b'\0' not in self.bytes:
            ready, _, _ = select.select([self.read_fd], [], [], max(0, end - time.monotonic()))
            data = os.read(self.read_fd, 1 << 20) if ready else b''
            if not data:
                raise RuntimeError('the browser does not answer')
            self.bytes += data
        message, self.bytes = self.bytes.split(b'\0', 1)
        return json.loads(message)

    def call(self, method, **params):
        self.number += 1
        command = {'id': self.number, 'method': method, 'params': params}
        if self.session:
            command['sessionId'] = self.session
        os.write(self.write_fd, json.dumps(command).encode() + b'\0')
        while True:
            message = self.message()
            if message.get('id') == command['id']:
                if 'error' in message:
                    raise RuntimeError(f'{method}: {message["error"]}')
                return message['result']
            self.events.append(message)

    def value(self, expression):
        result = self.call('Runtime.evaluate', expression=expression, returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in result:
            raise RuntimeError(f'{expression}: {result["exceptionDetails"]}')
        return result['result'].get('value')

    def settle(self):
        """Until everything that was asked for is drawn."""
        self.value('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))')

    def open(self, path, script=True):
        self.events.clear()
        self.call('Emulation.setScriptExecutionDisabled', value=not script)
        self.call('Page.navigate', url='file://' + os.path.abspath(path))
        done = "document.readyState === 'complete'" + (" && document.documentElement.dataset.ready === 'yes'" if script else '')
        self.wait(f"location.protocol === 'file:' && {done}", path)
        if script:
            self.settle()

    def wait(self, expression, what):
        """Until it is true."""
        end = time.monotonic() + LIMIT_S
        while not self.value(expression):
            if time.monotonic() > end or any(e['method'] == 'Runtime.exceptionThrown' for e in self.events if 'method' in e):
                raise AssertionError(f'{what} was not built: {self.troubles()}')
            time.sleep(0.02)

    def troubles(self):
        """Messages on the console, exceptions, dialogs, breaches of the policy; fetches of anything but the page."""
        found = [event for event in self.events if event.get('method') in
                 ('Runtime.exceptionThrown', 'Runtime.consoleAPICalled', 'Log.entryAdded', 'Page.javascriptDialogOpening',
                  'Audits.issueAdded')]
        fetched = [event['params']['request']['url'] for event in self.events
                   if event.get('method') == 'Network.requestWillBeSent']
        return found + [url for url in fetched[1:]]

    def theme(self, name):
        self.call('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': name}])
        self.settle()

    def width(self, width):
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.settle()
        time.sleep(0.1)
        self.settle()

    def click(self, selector):
        self.value(f'document.querySelector({json.dumps(selector)}).dispatchEvent(new MouseEvent("click", {{bubbles: true}}))')
        self.settle()

    def mouse(self, kind, x, y, **more):
        """kind: mousePressed, mouseMoved, mouseReleased, mouseWheel. Coordinates are the window's."""
        button = {'button': 'left', 'clickCount': 1} if kind in ('mousePressed', 'mouseReleased') else {}
        self.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, **{**button, **more})

    def drag(self, start, end, modifiers=0):
        self.mouse('mousePressed', *start, modifiers=modifiers)
        self.mouse('mouseMoved', (start[0] + end[0]) / 2, (start[1] + end[1]) / 2, modifiers=modifiers, buttons=1)
        self.mouse('mouseMoved', *end, modifiers=modifiers, buttons=1)
        self.mouse('mouseReleased', *end, modifiers=modifiers)
        self.settle()

    def press(self, key):
        text = {'text': key} if len(key) == 1 else {}
        for kind in ('keyDown', 'keyUp'):
            self.call('Input.dispatchKeyEvent', type=kind, key=key, **(text if kind == 'keyDown' else {}))
        self.settle()

    def type(self, selector, text):
        self.value(f'(() => {{ const field = document.querySelector({json.dumps(selector)}); field.value = {json.dumps(text)};'
                   'field.dispatchEvent(new Event("input")); })()')
        self.settle()

    def texts(self, selector):
        return self.value(f'[...document.querySelectorAll({json.dumps(selector)})].map(node => node.textContent)')

    def box(self, selector):
        return self.value(f'(() => {{ const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect();'
                          'return [box.x + scrollX, box.y + scrollY, box.width, box.height]; })()')

    def picture(self, selector=None, path=None):
        """Pixels of an element, or of all of the page."""
        return Picture(self.clip(self.box(selector or 'html'), path))

    def clip(self, box, path=None):
        """The bytes of a PNG of a part of the page."""
        x, y, width, height = box
        clip = {'x': x, 'y': y, 'width': max(1, width), 'height': max(1, height), 'scale': 1}
        data = base64.b64decode(self.call('Page.captureScreenshot', format='png', clip=clip, captureBeyondViewport=True)['data'])
        if path:
            with open(path, 'wb') as file:
                file.write(data)
        return data


class Picture:
    """The pixels of a PNG with 8 bits per channel."""

    def __init__(self, data):
        assert data[:8] == b'\x89PNG\r\n\x1a\n'
        at, packed = 8, b''
        while at < len(data):
            size, kind = struct.unpack('>I4s', data[at:at + 8])
            if kind == b'IHDR':
                self.width, self.height, depth, color, _, _, interlaced = struct.unpack('>IIBBBBB', data[at + 8:at + 8 + size])
                assert depth == 8 and color in (2, 6) and not interlaced
                self.channels = 4 if color == 6 else 3
            elif kind == b'IDAT':
                packed += data[at + 8:at + 8 + size]
            at += 12 + size
        self.rows = self.unfilter(zlib.decompress(packed))

    def unfilter(self, raw):
        rows, step, before = [], self.channels, bytearray(self.width * self.channels)
        for y in range(self.height):
            start = y * (len(before) + 1)
            kind, row = raw[start], bytearray(raw[start + 1:start + 1 + len(before)])
            for i in range(len(row) if kind else 0):
                left = row[i - step] if i >= step else 0
                up, corner = before[i], before[i - step] if i >= step else 0
                if kind == 1:
                    guess = left
                elif kind == 2:
                    guess = up
                elif kind == 3:
                    guess = (left + up) >> 1
                else:
                    distances = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
                    guess = left if distances[0] <= min(distances[1:]) else up if distances[1] <= distances[2] else corner
                row[i] = row[i] + guess & 255
            rows.append(row)
            before = row
        return rows

    def count(self):
        """How many pixels have each colour."""
        colors = {}
        for row in self.rows:
            for i in range(0, len(row), self.channels):
                color = tuple(row[i:i + 3])
                colors[color] = colors.get(color, 0) + 1
        return colors

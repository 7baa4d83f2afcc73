"""The boxes of a report's timeline, and sums by step, read as its script reads them: boxes_of(PAGE), step_sums(BLOCK)"""
import base64
import json
import re
import zlib


class Numbers:
    def __init__(self, data):
        self.data, self.at = data, 0

    def uint(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def int(self):
        twice = self.uint()
        return -(twice + 1) // 2 if twice & 1 else twice // 2

    def text(self):
        size = self.uint()
        self.at += size
        return self.data[self.at - size:self.at].decode('utf-8', 'replace')


def level_of(numbers, size, start_ns):
    heads = [numbers.uint() for _ in range(size)]
    starts, at = [], start_ns
    for _ in range(size):
        at += numbers.int()
        starts.append(at)
    boxes = [{'count': head >> 3, 'kind': head & 7, 'start': start} for head, start in zip(heads, starts)]
    for box in boxes:
        box['length'] = box['busy'] = numbers.uint()
    for box in boxes:
        box['name'] = numbers.uint() - 1
    many, single = [box for box in boxes if box['count'] > 1], [box for box in boxes if box['count'] == 1]
    for box in many:
        box['busy'] = numbers.uint()
    for box in single:
        box['thread'] = numbers.uint() - 1
    launched = [box for box in single if box['thread'] >= 0]
    for box in launched:
        box['depth'] = numbers.uint()
    for box in launched:
        box['launch'] = box['start'] - numbers.int()
    for box in single:
        box['detail'] = numbers.uint() - 1
    return boxes


def numbers_of(block):
    data = base64.b64decode(block['data'])
    return Numbers(zlib.decompress(data) if block['packing'] == 'deflate' else data)


def columns_of(sums):
    """What html_step_sums_write() wrote, without item and step: a list for each value."""
    return list(step_sums(sums))[2:]


def step_sums(sums):
    """Items, steps, then a list for each value."""
    numbers, count = numbers_of(sums), sums['count']
    items, steps, item, step = [], [], 0, 0
    for _ in range(count):
        item += numbers.uint()
        items.append(item)
    for _ in range(count):
        step += numbers.int()
        steps.append(step)
    columns = [[numbers.int() for _ in range(count)] for _ in range(sums['values'])]
    assert numbers.at == len(numbers.data), 'bytes are left'
    return [items, steps, *columns]


def step_of(sums, item, step):
    """The values of an item in a step; None: it has none."""
    return next((list(values) for of, at, *values in zip(*step_sums(sums)) if (of, at) == (item, step)), None)


def boxes_of(path):
    """(what the block says, [(process, kind, name, device, levels)]); a level is a list of boxes with names and details as texts."""
    with open(path, encoding='utf-8') as file:
        page = file.read()
    block = json.loads(re.search(r'id="timeline-data">(.*?)</script>', page, re.S).group(1))
    numbers = numbers_of(block)
    del block['data']
    tracks = [(process, kind, name, device, [level_of(numbers, size, block['start_ns']) for size in sizes])
              for process, kind, name, device, *sizes in block['tracks']]
    names = [numbers.text() for _ in range(block['names'])]
    details = [numbers.text() for _ in range(block['details'])]
    assert numbers.at == len(numbers.data), 'bytes are left'
    for *_, levels in tracks:
        for box in (box for level in levels for box in level):
            box['name'] = names[box['name']] if box['name'] >= 0 else ''
            box['detail'] = details[box['detail']] if box.get('detail', -1) >= 0 else ''
    return block, tracks

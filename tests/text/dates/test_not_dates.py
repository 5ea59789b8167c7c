"""Names, verbs, idioms and numbers that look like dates are not found."""

from datetime import datetime
from zoneinfo import ZoneInfo

from memory_core.text.dates.find_dates import find_dates
from tests.cases import for_each

NOW = datetime(2026, 11, 21, 15, 0, tzinfo=ZoneInfo("Europe/Berlin"))

ENGLISH = """
may
May I ask you something?
you may 5 times out of 10 be right
This may be the best one yet.
this may not work
those last may be broken
April told me that you called
I had coffee with June after work
May said no, and so did June
a present from April
I believe in April, she is strong
after April left we watched a film
since June came over the house is loud
August is my brother's name
Jan and Mar are cats
we march on, whatever they say
They will march 20 miles
in march step with the others
only 5 may enter
I sat down in the sun
the sun is out
on sun-dried tomatoes
mon ami, comment vas-tu
wed him and be happy
don't fall in love with me
ideas that spring to mind
the fall of Rome
spring water and second-hand books
in a second
wait a minute
one day I'll sail around the world
someday, maybe
these days everyone is tired
day by day
that was back in the day
the day I met you
call me any day of the week
I work 24/7
add 1/2 cup of sugar
a 3/4 majority and odds of 5/2
it costs $20.24, or 19.99
call 555-0199 or 030-12-34-5678
my number is 12-34-56
version 3.5.2024.1 is out
upgrade to 2024.3.5b or v1.2.3
PyCharm 2024.3.5 crashed
192.168.1.12
I'm 25
room 203
2001: A Space Odyssey
Blade Runner 2049 and 1984 are great
in 2000 words or less
more than 2000 people
about 1999 dollars
on the 5th floor
on the second floor
on the third try
on the 2nd try
the 21st century
Wednesday Addams is my favourite
Ruby Tuesday and Black Friday
every Tuesday and Thursday I swim
on Mondays I am grumpy
I work Monday to Friday
it will be good on Sundays
Freaky Friday
Sunday school was dull
Merry Christmas!
our Christmas tree fell over
Happy Halloween, happy New Year's Eve!
31 February
February 30th, 2024
2024-13-45
on 99/99/2024
99999999999999999999 years ago
500 years ago
0 months ago
10000 months ago
last but not least
this is the last one
next to me
the last day of the rest of your life
long ago, in a galaxy far away
a while ago
half past three
I painted it in three weeks
at 5:30
5 to 9
ok
""".strip().splitlines()

CHINESE = """
十分感谢
花了11.29元
涨了10.5倍
圆周率是3.14159
体温37.2度
升级到v4.11了
评分9.15分
只剩下1.25%的电
一共10.20块钱
比分是3.2
他一天到晚玩手机
天天开心
月亮很圆
三月兔和红桃皇后
三月七好可爱
五月天的演唱会门票
一周一次
每周二和周四晚上游泳
一周五天班
四周一片漆黑
一个星期一次
每天都要早起
每年三月都下雨
目前天气不错
以前天天跑步
然后天就黑了
以后天气会变好
最后天亮了
聪明天真的孩子
后天的努力更重要
过去年轻不懂事
以前年轻的时候
看看上周围的人
花了三个月
她的岁数是二十三
三点半
第三天
两天两夜
几十年以后你也会变老么
几十年前的事
有一天我会去看海
这几天好累
203号房间
小明儿子四岁了
正月初二回娘家
3号线地铁
二十三岁
圣诞节快乐
元旦快乐呀
圣诞老人是真的吗
2月30日
13月5日
四月是你的谎言
二十五分之三
一生一世
百分之二十
一月一次
八月十五
上半年前景不错
用三天前往拉萨
李国庆
""".strip().splitlines()


@for_each("text", ENGLISH)
def test_english_phrases_name_no_date(text: str) -> None:
    assert find_dates(text, NOW) == ()


@for_each("text", CHINESE)
def test_chinese_phrases_name_no_date(text: str) -> None:
    assert find_dates(text, NOW) == ()

profdump --chrome
